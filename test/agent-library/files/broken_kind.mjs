export default { name: 'x' }
