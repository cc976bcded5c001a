import { Button } from '../../../src/ui/button.tsx';
import {
  Badge,
  Card,
  CopyButton,
  CopyText,
  Empty,
  Facts,
  Grid,
  Notice,
  Progress,
  Row,
  Skeleton,
  Stack,
  TwoColumns,
} from '../../../src/ui/layout.tsx';
import { longText, longWord, type Part } from '../part.tsx';

const tones = ['neutral', 'good', 'warn', 'bad', 'accent'] as const;
const card = (title: string) => <Card title={title}>Earl Grey, Assam and 40 more.</Card>;

export default {
  title: 'Layout',
  use: 'Cards, columns and the small things in them. This page itself is a Screen.',
  isWide: true,
  examples: {
    Card: (
      <Card title="Variants" actions={<Button size="small">Add</Button>}>
        Three sizes.
      </Card>
    ),
    'Card whose content reaches the edges': (
      <Card title="Variants" isFlush>
        <Skeleton lines={2} />
      </Card>
    ),
    'Card with a long title': <Card title={longText}>{longWord}</Card>,
    Stack: (
      <Stack>
        {card('One')}
        {card('Two')}
      </Stack>
    ),
    'Row, spread': (
      <Row isSpread>
        <span>Total</span>
        <strong>€ 24.90</strong>
      </Row>
    ),
    Grid: (
      <Grid min="10rem">
        {['One', 'Two', 'Three', 'Four', 'Five'].map((title) => (
          <Card key={title} title={title}>
            Text
          </Card>
        ))}
      </Grid>
    ),
    'Two columns': <TwoColumns main={card('Main')} side={card('Side')} />,
    Badge: (
      <Row>
        {tones.map((tone) => (
          <Badge key={tone} tone={tone}>
            {tone}
          </Badge>
        ))}
      </Row>
    ),
    Notice: (
      <Stack>
        {tones.map((tone) => (
          <Notice key={tone} tone={tone} title={`Tone: ${tone}`} actions={<Button size="small">Fix</Button>}>
            {tone === 'warn' ? longText : 'It says what to do.'}
          </Notice>
        ))}
      </Stack>
    ),
    Empty: (
      <Empty title="No products yet" action={<Button look="primary">Add product</Button>}>
        Products that you add appear here.
      </Empty>
    ),
    'Skeleton: loading': <Skeleton />,
    Facts: (
      <Facts
        facts={[
          ['Created', 'Yesterday'],
          ['File', longWord],
          ['Note', longText],
          ['Left out, as it has no value', null],
        ]}
      />
    ),
    'Copy button': (
      <Row>
        <CopyButton text="ord_01" />
        <CopyButton text="ord_01" label="Copy address" />
      </Row>
    ),
    'Copy text': <CopyText text={longWord} />,
    Progress: (
      <Stack>
        <Progress label="Uploading 3 of 7" value={0.4} />
        <Progress label="Preparing" value={null} />
      </Stack>
    ),
  },
} satisfies Part;
