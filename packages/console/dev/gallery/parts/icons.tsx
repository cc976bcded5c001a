import { IconButton } from '../../../src/ui/button.tsx';
import * as icons from '../../../src/ui/icons.tsx';
import { Row } from '../../../src/ui/layout.tsx';
import { WithTooltip } from '../../../src/ui/overlays.tsx';
import type { Part } from '../part.tsx';

const { icon, ...drawn } = icons;
const Dot = icon(<circle cx="10" cy="10" r="3" />);

export default {
  title: 'Icons',
  use: 'All icons. Point at one to read its name.',
  isWide: true,
  examples: {
    All: (
      <Row>
        {Object.entries(drawn).map(([name, Icon]) => (
          <WithTooltip key={name} text={name}>
            <IconButton label={name}>
              <Icon />
            </IconButton>
          </WithTooltip>
        ))}
      </Row>
    ),
    'One of your own': <Dot />,
  },
} satisfies Part;
