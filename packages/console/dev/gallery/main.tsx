import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../../src/shell/trusted-types.ts';
import '../../src/ui/tokens.css';
import { Gallery } from './gallery.tsx';
import { Providers } from './providers.tsx';

createRoot(document.getElementById('console')!).render(
  <StrictMode>
    <Providers>
      <Gallery />
    </Providers>
  </StrictMode>,
);
