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

// What who is in needs comes while it is asked whether they still are. Whoever needs it says where it does not come.
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
