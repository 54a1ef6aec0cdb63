"""Row groups of ``events`` read faster than Arrow reads them, where they are stored as they are written here.

Each column of such a group is a list of the values that occur and, page by page, which rows hold one
and its place in the list. Arrow takes several passes over every row for that, which was the largest part of a
replay. Here one function reads the pages of a column, straight into what an Arrow array is made of. Whatever
is stored in another way is left to Arrow, and what is read is the same either way.
"""

from audit.pages.read import Groups

__all__ = ["Groups"]
