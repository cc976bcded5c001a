import { History } from '../../../src/ui/history.tsx';
import { Badge } from '../../../src/ui/layout.tsx';
import { toast } from '../../../src/ui/toasts.tsx';
import { longText, type Part } from '../part.tsx';

const state = (id: string, title: string) => ({
  id,
  kind: <Badge>Saved</Badge>,
  title,
  detail: 'Ada Lovelace, yesterday at 14:05',
});
const restorable = (id: string, title: string) => ({
  ...state(id, title),
  look: { text: 'View', label: `View ${title}`, href: '#history' },
  back: { text: 'Restore', label: `Restore ${title}`, onPress: () => toast(`Restored ${title}`) },
});

export default {
  title: 'History',
  use: 'Earlier states of a page or section, newest first.',
  isWide: true,
  examples: {
    Default: (
      <History
        states={[
          { ...state('3', 'Current'), kind: <Badge tone="good">Live</Badge> },
          restorable('2', 'New prices'),
          restorable('1', 'First version'),
        ]}
      />
    ),
    'Long text': <History states={[restorable('1', longText)]} />,
    Empty: <History states={[]} />,
  },
} satisfies Part;
