/** An element as `[name, attributes, children]`, or a text. */
export type DomNode = string | [name: string, attributes: [string, string][], children: DomNode[]];
