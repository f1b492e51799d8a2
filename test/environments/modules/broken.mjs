// A module that cannot be loaded. Used by tests only.
throw new Error('this module is broken')
