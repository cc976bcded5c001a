import { Button } from '../../../src/ui/button.tsx';
import { Row } from '../../../src/ui/layout.tsx';
import { toast } from '../../../src/ui/toasts.tsx';
import { longText, type Part } from '../part.tsx';

const tones = ['good', 'neutral', 'accent', 'warn', 'bad'] as const;

export default {
  title: 'Toasts',
  use: 'Say that something was done, or why not. Warnings and failures stay until they are dismissed.',
  examples: {
    Default: (
      <Row>
        {tones.map((tone) => (
          <Button key={tone} onPress={() => toast(`Tone: ${tone}`, tone)}>
            Show {tone}
          </Button>
        ))}
      </Row>
    ),
    'Long text': <Button onPress={() => toast(longText, 'warn')}>Show a long one</Button>,
  },
} satisfies Part;
