from ..fake import Source as ASTSource  # noqa: F401
