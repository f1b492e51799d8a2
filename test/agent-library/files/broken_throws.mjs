throw new Error('no key is set')
