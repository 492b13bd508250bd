from collections import namedtuple

ASTSource = namedtuple("ASTSource", "fn signature constants attributes")
