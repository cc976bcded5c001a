import { useRef } from 'react';
import { Button } from '../../../src/ui/button.tsx';
import { Stack } from '../../../src/ui/layout.tsx';
import { Windowed, type WindowedHandle } from '../../../src/ui/windowed.tsx';
import type { Part } from '../part.tsx';

const row = (position: number) => <p key={position}>Row {position + 1}</p>;

function LongList() {
  const handle = useRef<WindowedHandle>(null);
  return (
    <Stack>
      <Button onPress={() => handle.current?.show(4999)}>Go to row 5,000</Button>
      <Windowed count={10_000} handle={handle}>
        {row}
      </Windowed>
    </Stack>
  );
}

export default {
  title: 'Windowed',
  use: 'Many rows of equal height. Only those in view are rendered.',
  examples: {
    'Ten thousand rows': <LongList />,
    'Few rows': <Windowed count={5}>{row}</Windowed>,
    Empty: <Windowed count={0}>{row}</Windowed>,
  },
} satisfies Part;
