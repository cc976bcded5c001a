import { Tabs } from '../../../src/ui/tabs.tsx';
import { longText, type Part, Stateful } from '../part.tsx';

const few = [
  { id: 'details', title: 'Details', panel: <p>Name, price and stock.</p> },
  { id: 'images', title: 'Images', panel: <input aria-label="Kept while hidden" />, isKept: true },
  { id: 'history', title: 'History', panel: <p>Who changed what.</p> },
];

const tabs = (all: typeof few) => (
  <Stateful start={all[0]!.id}>
    {(selected, onSelect) => <Tabs label="Product" tabs={all} {...{ selected, onSelect }} />}
  </Stateful>
);

export default {
  title: 'Tabs',
  use: 'One of several panels at a time. What people type in “Images” stays.',
  examples: {
    Default: tabs(few),
    'Long titles': tabs(few.map((tab) => ({ ...tab, title: `${tab.title}: ${longText}` }))),
  },
} satisfies Part;
