import { StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import './shell/trusted-types.ts';
import './ui/tokens.css';
import './shell/dropped-files.ts';
import './shell/look.ts';
import { session } from './api/session.ts';
import { navigate } from './router/history.ts';
import { Router } from './router/router.tsx';
import { routes } from './routes.ts';
import { Coming, Failed, FailedOutside } from './shell/problems.tsx';
import { Surroundings } from './shell/surroundings.tsx';

// The frame loads while the session is still being checked. A failed import is reported by whoever imports it next.
if (session.mayBeOn()) void import('./shell/frame.tsx').catch(() => {});

createRoot(document.getElementById('console')!).render(
  <StrictMode>
    <Suspense>
      <Surroundings go={navigate}>
        <Router
          routes={routes}
          begin={session.begin}
          pending={<Coming />}
          failed={Failed}
          failedOutside={FailedOutside}
        />
      </Surroundings>
    </Suspense>
  </StrictMode>,
);
