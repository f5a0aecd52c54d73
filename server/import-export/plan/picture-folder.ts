/**
 * Path of the built-in site under which all addresses of a picture lie. Texts may contain the address with a former file
 * name, so pictures are found by this path.
 */
export function pictureFolder(id: string): string {
  return `/media/${id}`;
}
