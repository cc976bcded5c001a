import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import render from '../src/documents/rendering/render.ts';
import { documents } from './sample-documents.ts';

const run = promisify(execFile);

/** Mustang's validator: veraPDF for PDF/A-3, and the schematrons of EN 16931. */
const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>waybill</groupId><artifactId>einvoice</artifactId><version>1</version>
  <dependencies>
    <dependency>
      <groupId>org.mustangproject</groupId><artifactId>validator</artifactId><version>2.20.0</version>
      <classifier>shaded</classifier>
      <exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>
    </dependency>
  </dependencies>
</project>`;

const program = `import org.mustangproject.validator.ZUGFeRDValidator;
public class Validate {
  public static void main(String[] files) {
    for (String file : files) {
      ZUGFeRDValidator validator = new ZUGFeRDValidator();
      String report = validator.validate(file);
      System.out.println("=== " + file + " " + validator.wasCompletelyValid());
      System.out.println(report);
    }
  }
}`;

const isInstalled = (command: string): Promise<boolean> =>
  run(command, ['-version']).then(
    () => true,
    () => false,
  );
const hasTools = (await isInstalled('java')) && (await isInstalled('mvn'));
if (!hasTools) console.log('left out, as java or mvn is missing: the validator of invoices');

/** Fetches the validator into a folder. Returns its class path, or null where Maven Central is out of reach. */
async function fetchValidator(folder: string): Promise<string | null> {
  await writeFile(join(folder, 'pom.xml'), pom);
  try {
    await run('mvn', ['-q', '-B', 'dependency:build-classpath', '-Dmdep.outputFile=classpath'], {
      cwd: folder,
    });
  } catch (error) {
    console.log('left out, as Maven could not fetch it: the validator of invoices', error);
    return null;
  }
  return (await readFile(join(folder, 'classpath'), 'utf8')).trim();
}

test('invoices and credit notes of every kind pass an independent validator of PDF/A-3 and EN 16931', async () => {
  if (!hasTools) return;
  const folder = await mkdtemp(join(tmpdir(), 'waybill-einvoice-'));
  try {
    const classpath = await fetchValidator(folder);
    if (classpath === null) return;
    await writeFile(join(folder, 'Validate.java'), program);
    const files: string[] = [];
    for (const [i, content] of Object.values(documents).entries()) {
      const { pdf, xml } = await render({ content, logo: null });
      await writeFile(join(folder, `${i}.pdf`), pdf);
      await writeFile(join(folder, `${i}.xml`), xml!);
      files.push(`${i}.pdf`, `${i}.xml`);
    }
    const { stdout } = await run('java', ['-cp', classpath, 'Validate.java', ...files], {
      cwd: folder,
      maxBuffer: 2 ** 28,
    });
    const names = Object.keys(documents);
    const verdicts = [...stdout.matchAll(/^=== (\d+)\.(pdf|xml) (true|false)$/gm)];
    const wrong = verdicts.filter(([, , , verdict]) => verdict !== 'true');
    const errors = [...stdout.matchAll(/<error[^>]*>[^<]*/g)].map(([text]) => text);
    expect(wrong.map(([, i, type]) => `${names[Number(i)]}.${type}`)).toEqual([]);
    expect(errors).toEqual([]);
    expect(verdicts).toHaveLength(files.length);
  } finally {
    await rm(folder, { recursive: true });
  }
}, 600_000);
