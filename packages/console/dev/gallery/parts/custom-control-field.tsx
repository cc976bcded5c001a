import { CustomControlField } from '../../../src/ui/custom-control-field.tsx';
import { Invalid, longText, type Part } from '../part.tsx';

const field = (props: { label: string; hint?: string; name?: string }) => (
  <CustomControlField {...props}>{(attributes) => <input type="range" {...attributes} />}</CustomControlField>
);

export default {
  title: 'Custom control field',
  use: 'A label, hint and error around a control of your own, here a slider.',
  examples: {
    Default: field({ label: 'Focal point' }),
    'With a hint': field({ label: 'Focal point', hint: 'Stays in view when the image is cropped.' }),
    Invalid: (
      <Invalid text="Choose a point in the image.">{field({ label: 'Focal point', name: '/value' })}</Invalid>
    ),
    'Long label and hint': field({ label: longText, hint: longText }),
  },
} satisfies Part;
