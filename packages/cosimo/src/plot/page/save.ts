/**
 * Files that a page hands to its browser. Everything is made in the page: nothing is sent anywhere.
 */

/** Twice the pixels of the picture, so that it looks well on dense screens and in print. */
const DENSITY = 2;

export function saveText(text: string, type: string, name: string): void {
  saveBlob(new Blob([text], { type }), name);
}

/** The picture as pixels. Fonts are those of the system. */
export async function savePng(svg: string, name: string): Promise<void> {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    image.setAttribute("src", url);
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = DENSITY * image.naturalWidth;
    canvas.height = DENSITY * image.naturalHeight;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (blob) saveBlob(blob, name);
  } finally {
    URL.revokeObjectURL(url);
  }
}

function saveBlob(blob: Blob, name: string): void {
  const link = document.createElement("a");
  const url = URL.createObjectURL(blob);
  link.setAttribute("href", url);
  link.download = name;
  link.click();
  // Not at once: the browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
