/** What a story has seen of the server. */
export interface StoryReport {
  /** Title of the session that it created. */
  readonly title: string;
  /** True if the time of creation arrived as epoch milliseconds. */
  readonly hasTime: boolean;
  /** Role of the message that answered. */
  readonly answeredBy: string;
  /** Status of the page after its publication. */
  readonly published: string;
  /** Title of the page after its change, and after the change was undone. */
  readonly titles: readonly string[];
  /** Size of the uploaded picture; pixels. */
  readonly picture: readonly number[];
  /** Code of the error for a deleted session. */
  readonly refusal: string;
}

/** A PNG of one pixel. */
export const pixel = new Blob(
  [
    Uint8Array.from(
      atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='),
      (sign) => sign.charCodeAt(0),
    ),
  ],
  { type: 'image/png' },
);

/** Calls `read` until it returns a value. @throws Error after a minute */
export async function until<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const value = await read();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('Nothing was answered within a minute.');
}
