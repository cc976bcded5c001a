import { isObject } from './check/pointer.ts';
import type { NodeProps, PageDocument, PageNode } from './model.ts';

/**
 * Returns the renderable part of a document, however broken it is, to show it while it is edited. A valid
 * document is returned as it is.
 */
export function tolerateDocument(document: unknown): PageDocument {
  const { rootId, nodes } = isObject(document) ? document : {};
  if (typeof rootId === 'string' && Array.isArray(nodes) && nodes.every(isCompleteNode)) {
    return document as PageDocument;
  }
  return {
    rootId: String(rootId),
    nodes: (Array.isArray(nodes) ? nodes : []).flatMap((node) => tolerateNode(node) ?? []),
  };
}

const isMissing = (value: unknown) => value === undefined || value === null;
const isPart = (value: unknown) => isMissing(value) || isObject(value);
const parts = ['style', 'config', 'specials', 'settings'] as const;

function isCompleteNode(node: unknown): boolean {
  if (!isObject(node) || typeof node.id !== 'string' || typeof node.type !== 'string') return false;
  const { children, props } = node;
  const hasChildren = isMissing(children) || (Array.isArray(children) && children.every(isText));
  return hasChildren && (isMissing(props) || (isObject(props) && parts.every((part) => isPart(props[part]))));
}

const isText = (value: unknown) => typeof value === 'string';

function tolerateNode(node: unknown): PageNode | undefined {
  if (!isObject(node) || typeof node.id !== 'string' || typeof node.type !== 'string') return undefined;
  const { id, type } = node;
  const children = Array.isArray(node.children) ? node.children.filter(isText) : [];
  const props = isObject(node.props) ? node.props : {};
  const presentParts = parts.filter((part) => isObject(props[part])).map((part) => [part, props[part]]);
  return { id, type, children, props: Object.fromEntries(presentParts) as NodeProps };
}
