import type { Workbench } from '../workbench/workbench.ts';

const inlinePicture = /\bsrc\s*=\s*(["'])data:(image\/(?:png|jpeg|gif|webp));base64,([a-z0-9+/=\s]+)\1/gi;

/** Uploads the pictures embedded in HTML and replaces them by their ids. A picture whose upload fails is left out. */
export async function uploadInlinePictures({ upload }: Workbench, html: string): Promise<string> {
  let result = '';
  let at = 0;
  for (const found of html.matchAll(inlinePicture)) {
    const [match, , type, data] = found;
    result += html.slice(at, found.index);
    at = found.index + match.length;
    const bytes = Uint8Array.from(atob(data!.replaceAll(/\s/g, '')), (letter) => letter.charCodeAt(0));
    const name = `picture.${type!.slice('image/'.length)}`;
    const mediaId = await upload(new File([bytes], name, { type: type! }));
    result += `src="${mediaId ?? ''}"`;
  }
  return result + html.slice(at);
}
