import { Code } from '../../../src/ui/code.tsx';
import type { Part } from '../part.tsx';

export default {
  title: 'Code',
  use: 'Text to read or copy exactly as it is, such as a command or a reply.',
  examples: {
    Default: <Code label="Reply" text={'{\n  "ok": true\n}'} />,
    'Long line': (
      <Code
        label="Command"
        text="curl https://shop.example/api/v1/products?status=active&sort=name&limit=100 -H 'Authorization: Bearer wb_live_…'"
      />
    ),
    'Many lines': (
      <Code label="Log" text={Array.from({ length: 60 }, (_, line) => `line ${line + 1}`).join('\n')} />
    ),
    Empty: <Code label="Body" text="" />,
  },
} satisfies Part;
