import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import './shell/trusted-types.ts';
import './ui/tokens.css';
import './shell/look.ts';
import { queries } from './api/queries.ts';
import { router } from './router.tsx';
import { Surroundings } from './shell/surroundings.tsx';

createRoot(document.getElementById('console')!).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Suspense>
        <Surroundings go={(href) => router.history.push(href)}>
          <RouterProvider router={router} />
        </Surroundings>
      </Suspense>
    </QueryClientProvider>
  </StrictMode>,
);
