def tester():
    raise NotImplementedError
