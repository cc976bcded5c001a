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
import { language, wordsThere } from './texts/texts.ts';

// The frame and the session load beside the texts. Whoever asks for them next reports a failure.
if (session.mayBeOn()) {
  void import('./shell/frame.tsx').catch(() => {});
  void session.begin().catch(() => {});
}

const render = () =>
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

// A fallback would stay for 300 ms (see the router), so the first screen begins when its texts are there.
void wordsThere(language.read()).then(render);
