import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import './shell/trusted-types.ts';
import './ui/tokens.css';
import './shell/dropped-files.ts';
import './shell/look.ts';
import { session } from './api/session.ts';
import { router } from './router.tsx';
import { Surroundings } from './shell/surroundings.tsx';

// The frame loads while the session is still being checked. A failed import is reported by whoever imports it next.
if (session.mayBeOn()) void import('./shell/frame.tsx').catch(() => {});

createRoot(document.getElementById('console')!).render(
  <StrictMode>
    <Suspense>
      <Surroundings go={(href) => router.history.push(href)}>
        <RouterProvider router={router} />
      </Surroundings>
    </Suspense>
  </StrictMode>,
);
