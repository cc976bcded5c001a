import { Button } from '../../../src/ui/button.tsx';
import { SaveBar } from '../../../src/ui/save-bar.tsx';
import { toast } from '../../../src/ui/toasts.tsx';
import type { Part } from '../part.tsx';

const bar = (props: {
  label?: string;
  isPending?: boolean;
  isDirty?: boolean;
  isReady?: boolean;
  hasMore?: boolean;
}) => {
  const { hasMore = false, isPending = false, isDirty = false, ...rest } = props;
  return (
    // The bar floats at the end of its example.
    <div style={{ minBlockSize: '6rem' }}>
      <SaveBar {...rest} isPending={isPending} isDirty={isDirty} onDiscard={() => toast('Discarded')}>
        {hasMore && <Button>Preview</Button>}
      </SaveBar>
    </div>
  );
};

export default {
  title: 'Save bar',
  use: 'Saves a form. It stays in view while something is unsaved.',
  isWide: true,
  examples: {
    'Nothing to save': bar({}),
    Unsaved: bar({ isDirty: true }),
    'Unsaved, but not ready': bar({ isDirty: true, isReady: false }),
    Busy: bar({ isDirty: true, isPending: true }),
    'With another label and action': bar({ isDirty: true, label: 'Add product', hasMore: true }),
  },
} satisfies Part;
