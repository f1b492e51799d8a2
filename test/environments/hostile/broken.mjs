// Cannot be loaded.
import './nowhere.mjs'
