import 'a-package-that-is-missing'
