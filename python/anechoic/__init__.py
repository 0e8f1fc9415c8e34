"""Anechoic, a software test chamber for transport protocols over Wi-Fi."""
