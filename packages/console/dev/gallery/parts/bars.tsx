import { Bars } from '../../../src/ui/bars.tsx';
import type { Part } from '../part.tsx';

const hours = Array.from({ length: 24 }, (_, hour) => {
  const value = (hour * 7) % 19;
  const bad = hour % 6 === 5 ? Math.ceil(value / 3) : 0;
  return { title: `${hour}:00`, value, bad, text: `${value} deliveries, ${bad} failed` };
});

export default {
  title: 'Bars',
  use: 'A small bar chart. Point at a bar to read it.',
  examples: {
    Default: <Bars label="Deliveries by hour" bars={hours.map((bar) => ({ ...bar, bad: 0 }))} />,
    'With failures': <Bars label="Deliveries by hour, with failures" bars={hours} />,
    'All zero': (
      <Bars label="No deliveries" bars={hours.map(({ title }) => ({ title, value: 0, text: '0' }))} />
    ),
    Empty: <Bars label="No hours" bars={[]} />,
  },
} satisfies Part;
