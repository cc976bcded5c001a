import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { GlobalOptions } from '../connection.ts';
import { exitCodes, Failure } from '../failure.ts';
import { appIdPlaceholder } from '../project.ts';
import type { Run } from '../run.ts';

/** Adds the command `init [folder]`, which writes an app that runs. */
export function addInit(program: Command, run: Run): void {
  program
    .command('init [folder]')
    .description('Create a working app: a block with an island')
    .action(
      run(async (_: GlobalOptions, output, folderArgument) => {
        const folder = resolve(folderArgument ?? '.');
        await mkdir(folder, { recursive: true });
        const existing = (await readdir(folder)).filter((name) => !name.startsWith('.git'));
        if (existing.length > 0)
          throw new Failure(`${folder} is not empty.`, {
            code: 'not_empty',
            exitCode: exitCodes.usage,
            remedy: 'Name a new folder: `waybill init my-app`.',
          });
        const written = Object.entries(createFiles(basename(folder)));
        for (const [name, text] of written) {
          const file = join(folder, name);
          await mkdir(dirname(file), { recursive: true });
          await writeFile(file, text, { flag: 'wx' });
        }
        const next = folderArgument ? `cd ${quoted(folderArgument)} && waybill app dev` : 'waybill app dev';
        output.result(
          { folder, files: written.map(([name]) => name) },
          `An app is in ${folder}. Next:\n  waybill login\n  ${next}`,
        );
      }),
    );
}

/** Quotes a path so that a shell takes it for one word. */
const quoted = (path: string) => (/^[\w./~+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;

const createFiles = (name: string): Record<string, string> => ({
  'waybill.json': json({
    name,
    scopes: ['appdata.read', 'appdata.write'],
    connectOrigins: [],
    redirectUris: ['http://127.0.0.1:3000/installed'],
  }),
  'blocks.json': json({
    blocks: [
      {
        key: 'greeting',
        name: 'Greeting',
        icon: 'star',
        rootId: 'root',
        nodes: [
          {
            id: 'root',
            type: 'stack',
            children: ['title', 'clicks'],
            props: { style: { base: { paddingTop: '24px', paddingBottom: '24px' } } },
          },
          { id: 'title', type: 'heading', props: { specials: { text: 'Hello from an app', level: 2 } } },
          {
            id: 'clicks',
            type: 'text',
            island: 'clicks',
            props: { specials: { text: 'Click me' } },
          },
        ],
        slots: [{ name: 'title', nodeId: 'title' }],
        traits: [
          {
            key: 'title',
            label: 'Title',
            attributes: [
              { widget: 'text', slot: 'title', target: 'specials', writeKey: 'text' },
              { widget: 'color', slot: 'title', target: 'style', writeKey: 'color' },
            ],
          },
        ],
      },
    ],
  }),
  'islands/clicks.js': `/** Counts clicks. Without it the element is there as the block has it. */
class Clicks {
  constructor(element, { text }) {
    let count = 0;
    const button = document.createElement('button');
    button.textContent = text;
    button.onclick = () => {
      count += 1;
      button.textContent = \`\${text} (\${count})\`;
    };
    element.replaceChildren(button);
  }
}

// The command line puts the app's id in place of ${appIdPlaceholder}.
window.WB.register('app.${appIdPlaceholder}.clicks', Clicks);
`,
  '.gitignore': '.env\nnode_modules/\n',
  'README.md': `# ${name}

An app for Waybill: \`blocks.json\` is what merchants put on their pages, \`islands/\` what moves in it, \`waybill.json\`
what it asks for.

    waybill app check     # the server's own checks, without a server
    waybill app dev       # shows it on a page of a development store, and each change as you save it
    waybill app push      # uploads it to a draft version
    waybill app submit    # submits the draft for review

The first \`app dev\` registers the app and writes its ids to \`waybill.json\`, which belongs in version control; the
client's secret goes to \`.env\`, which does not. Later changes of \`name\` and \`redirectUris\` are made in the console,
below Developer. \`app dev --forward-to http://127.0.0.1:3000/webhooks\` calls your own
server for the development store's events.
`,
});
