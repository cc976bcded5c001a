import { buildCli } from '@waybill/cli/package-files';
import { type BuiltPackage, buildSdk } from '@waybill/sdk/package-files';
import { createTarGzip } from 'nanotar';

const builders: Readonly<Record<string, () => Promise<BuiltPackage>>> = {
  'waybill-sdk': buildSdk,
  'waybill-cli': buildCli,
};

interface Tarball {
  version: string;
  bytes: Buffer;
}

/** Serves the packages that npm installs from this system. Each is built once, at its first request. */
export function createDownloads() {
  const tarballs = new Map<string, Promise<Tarball>>();

  function findTarball(name: string, buildPackage: () => Promise<BuiltPackage>): Promise<Tarball> {
    const tarball = tarballs.get(name) ?? buildPackage().then(packTarball);
    tarballs.set(name, tarball);
    // A failed build is tried again at the next request.
    tarball.catch(() => tarballs.delete(name));
    return tarball;
  }

  return {
    /**
     * Finds a tarball by its file name, such as `waybill-sdk-0.1.0.tgz`; null if the name or version does not exist.
     */
    async find(file: string): Promise<Buffer | null> {
      const [, name = '', requestedVersion = ''] = /^([a-z-]{1,20})-(\d.{0,40})\.tgz$/.exec(file) ?? [];
      const buildPackage = Object.hasOwn(builders, name) ? builders[name] : undefined;
      if (!buildPackage) return null;
      const { version, bytes } = await findTarball(name, buildPackage);
      return version === requestedVersion ? bytes : null;
    },
  };
}

/** Packs a package as `npm pack` does. The same package yields the same bytes, which lock files compare. */
async function packTarball({ version, files }: BuiltPackage): Promise<Tarball> {
  const attrs = { mtime: Date.UTC(1985, 9, 26, 8, 15), mode: '755' };
  const entries = [...files].map(([name, data]) => ({ name: `package/${name}`, data, attrs }));
  return { version, bytes: Buffer.from(await createTarGzip(entries)) };
}
