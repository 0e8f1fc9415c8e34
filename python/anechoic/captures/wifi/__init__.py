"""What 802.11 frames in a capture tell."""
