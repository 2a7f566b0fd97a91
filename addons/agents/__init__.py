"""Environments for reinforcement learning, and an MCP server for assistants."""
