/** The words of the name of a property, in lower case: `nodePort`, `node_port` and `NODEPort` are `node` and `port`. */
export function nameWords(name: string): readonly string[] {
  return name
    .slice(0, 200)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}
