import { Button, IconButton, LinkButton, TextLink } from '../../../src/ui/button.tsx';
import { PlusIcon } from '../../../src/ui/icons.tsx';
import { Row } from '../../../src/ui/layout.tsx';
import { longText, type Part } from '../part.tsx';

const looks = ['primary', 'secondary', 'quiet', 'danger'] as const;
const titles = { primary: 'Publish', secondary: 'Duplicate', quiet: 'Show more', danger: 'Delete' };

const all = (props: { isDisabled?: boolean; isPending?: boolean; size?: 'small' }) => (
  <Row>
    {looks.map((look) => (
      <Button key={look} look={look} {...props}>
        {titles[look]}
      </Button>
    ))}
  </Row>
);

export default {
  title: 'Button',
  use: 'An action, or a link that looks like one. A screen has one primary action.',
  examples: {
    Default: all({}),
    Small: all({ size: 'small' }),
    Disabled: all({ isDisabled: true }),
    Busy: all({ isPending: true }),
    'With an icon': (
      <Row>
        <Button look="primary">
          <PlusIcon />
          Add product
        </Button>
        <IconButton label="Add product">
          <PlusIcon />
        </IconButton>
        <IconButton label="Add product" isDisabled>
          <PlusIcon />
        </IconButton>
      </Row>
    ),
    Links: (
      <Row>
        <LinkButton href="#button" look="primary">
          Open editor
        </LinkButton>
        <LinkButton href="#button" size="small">
          View shop
        </LinkButton>
        <LinkButton href="#button" isDisabled>
          View shop
        </LinkButton>
        <TextLink href="#button">Read the guide</TextLink>
      </Row>
    ),
    'Long text': <Button>{longText}</Button>,
  },
} satisfies Part;
