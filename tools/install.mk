# install.mk - the program below $(DESTDIR)$(PREFIX), and as a Debian package.
PREFIX  ?= /usr/local
DESTDIR ?=

#: make install           the program, pages, completions, documents below PREFIX=/usr/local (DESTDIR=, for packages)
# The program that is there is installed as it is: `sudo make install` builds nothing as root.
install: $(if $(wildcard build/ouroboros),,all)
	@DESTDIR="$(DESTDIR)" sh tools/install.sh install build/ouroboros "$(PREFIX)"
#: make uninstall         take all of it away again
uninstall:
	@DESTDIR="$(DESTDIR)" sh tools/install.sh uninstall build/ouroboros "$(PREFIX)"
#: make deb               build/ouroboros_VERSION_ARCH.deb
deb: all
	@sh tools/deb.sh build/ouroboros
.PHONY: install uninstall deb
