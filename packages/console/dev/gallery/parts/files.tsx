import { DropsAnywhere, FilePicker } from '../../../src/ui/files.tsx';
import { toast } from '../../../src/ui/toasts.tsx';
import { longText, type Part } from '../part.tsx';

const onFiles = (files: readonly File[]) => toast(files.map(({ name }) => name).join(', '));

export default {
  title: 'Files',
  use: 'Takes files by a dialog or by a drop.',
  examples: {
    Default: (
      <FilePicker label="Choose images" hint="Or drop them here. Up to 20 MB each." onFiles={onFiles} />
    ),
    'One file': (
      <FilePicker label="Choose a CSV file" accept={['text/csv']} isMultiple={false} onFiles={onFiles} />
    ),
    Disabled: <FilePicker label="Choose images" hint="Your storage is full." isDisabled onFiles={onFiles} />,
    'Long text': <FilePicker label={longText} hint={longText} onFiles={onFiles} />,
    'Anywhere on the page': (
      <>
        <DropsAnywhere onFiles={onFiles} />
        <p>This page takes files wherever you drop them.</p>
      </>
    ),
  },
} satisfies Part;
