_blocks = {}
_calls = [0]


def run(x):
    _calls[0] += 1
    if x.shape[1] not in _blocks:
        _blocks[x.shape[1]] = triton.next_power_of_2(x.shape[1])
    return launch(x)
# --- parse_reject: what the module keeps between calls are numbers
_answers = {}


def run(x):
    if x.shape not in _answers:
        _answers[x.shape] = launch(x)
    return _answers[x.shape]
# --- parse_reject: used in calls alone
_calls = [0]


def count():
    _calls[0] += 1
    return _calls[0]


FIRST = count()


def run(x):
    return launch(x)
# --- uncovered_output: unwritten in call 2
_calls = [0]


def run(x):
    _calls[0] += 1
    if _calls[0] == 1:
        return launch(x)
    return torch.empty_like(x)
