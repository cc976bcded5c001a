import type { Target } from '../model.ts';
import type { ValueKind, Widget } from './types.ts';

const widget = (label: string, targets: Target[], kinds: ValueKind[]): Widget => ({ label, targets, kinds });

/** The controls of the editor. A compound one writes several longhands: `typography`, `spacing`, `border`, … */
export const widgets: Readonly<Record<string, Widget>> = {
  text: widget('Text', ['specials'], ['text', 'identifier']),
  textarea: widget('Long text', ['specials'], ['text']),
  richtext: widget('Rich text', ['specials'], ['richText']),
  number: widget('Number', ['style', 'config', 'specials'], ['number']),
  slider: widget('Slider', ['style', 'config', 'specials'], ['number', 'length']),
  length: widget('Length', ['style'], ['length']),
  color: widget('Colour', ['style'], ['color']),
  gradient: widget('Gradient', ['style'], ['background']),
  background: widget('Background', ['style'], ['background', 'color', 'choice', 'css']),
  select: widget('Choice', ['style', 'config', 'specials'], ['choice', 'font', 'number']),
  segmented: widget('Segments', ['style', 'config', 'specials'], ['choice', 'number', 'boolean']),
  toggle: widget('Switch', ['config', 'specials'], ['boolean']),
  video: widget('Video', ['specials'], ['media', 'identifier']),
  image: widget('Image', ['style', 'specials'], ['media', 'background', 'items']),
  link: widget('Link', ['specials'], ['link']),
  icon: widget('Icon', ['specials'], ['choice']),
  typography: widget('Typography', ['style'], ['font', 'length', 'choice', 'color', 'number']),
  spacing: widget('Spacing', ['style'], ['length']),
  border: widget('Border', ['style'], ['length', 'choice', 'color']),
  radius: widget('Corners', ['style'], ['length']),
  shadow: widget('Shadow', ['style'], ['shadow']),
  align: widget('Alignment', ['style'], ['choice']),
  product: widget('Product', ['specials'], ['product']),
  source: widget('Products of a list', ['specials'], ['source']),
  category: widget('Blog category', ['specials'], ['category']),
  visibility: widget('Visibility', ['config'], ['boolean']),
};
