def document():
    return {}
