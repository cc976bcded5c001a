import { useState } from 'react';
import { Button } from '../../../src/ui/button.tsx';
import { SecretDialog } from '../../../src/ui/secret.tsx';
import type { Part } from '../part.tsx';

function Example({ secret, children }: { secret: string; children?: string }) {
  const [shown, setShown] = useState<string | null>(null);
  return (
    <>
      <Button onPress={() => setShown(secret)}>Create key</Button>
      <SecretDialog
        title="Your new API key"
        warning="Copy it now. You cannot see it again."
        done="I have copied it"
        secret={shown}
        onClose={() => setShown(null)}
      >
        {children && <p>{children}</p>}
      </SecretDialog>
    </>
  );
}

export default {
  title: 'Secret dialog',
  use: 'Shows a secret once. Only its button closes it.',
  examples: {
    Default: <Example secret="wb_live_4f7c2a" />,
    'Long secret, with more below': (
      <Example secret={'wb_live_4f7c2a'.repeat(8)}>Send it as a bearer token.</Example>
    ),
  },
} satisfies Part;
