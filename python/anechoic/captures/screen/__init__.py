"""An analysis on the screen."""
