"""A case: one round with all that its findings rest on, in a sealed folder that anybody can check again.

``contents`` names the files and derives from round, shoe and law what they say of the round;
``gather`` takes a round out of a lake; ``seal`` writes a folder and tells whether it is as it
was; ``recheck`` derives everything again from the folder alone.
"""
