import type { Page } from '@playwright/test';
import sharp from 'sharp';

/** The frames of an animation, with a drawn pointer because screenshots contain none. */
export class Film {
  readonly #page: Page;
  readonly #frames: Buffer[] = [];
  readonly #delays: number[] = [];
  /** Position of the pointer. */
  #at = { x: 700, y: 500 };

  constructor(page: Page) {
    this.#page = page;
  }

  /** Adds the current page as a frame that is shown for `duration` milliseconds. */
  async show(duration: number): Promise<void> {
    await this.#page.evaluate(({ x, y }) => {
      const pointer = document.querySelector<HTMLElement>('[data-pointer]') ?? document.createElement('div');
      pointer.dataset['pointer'] = '';
      Object.assign(pointer.style, {
        position: 'fixed',
        zIndex: '9999',
        left: `${x - 7}px`,
        top: `${y - 7}px`,
        width: '14px',
        height: '14px',
        borderRadius: '50%',
        background: 'rgb(20 20 20 / 55%)',
        border: '2px solid white',
        pointerEvents: 'none',
      });
      document.body.append(pointer);
    }, this.#at);
    this.#frames.push(await this.#page.screenshot({ animations: 'disabled' }));
    this.#delays.push(duration);
  }

  /** Moves the pointer to a point in a few frames. */
  async moveTo({ x, y }: { readonly x: number; readonly y: number }): Promise<void> {
    const from = this.#at;
    for (const part of [0.4, 0.8, 1]) {
      this.#at = { x: from.x + (x - from.x) * part, y: from.y + (y - from.y) * part };
      await this.#page.mouse.move(this.#at.x, this.#at.y);
      await this.show(90);
    }
  }

  /** Types a few characters per frame. */
  async type(text: string): Promise<void> {
    for (const characters of text.match(/.{1,4}/g) ?? []) {
      await this.#page.keyboard.type(characters);
      await this.show(110);
    }
  }

  /** Writes the frames as an animated WebP. */
  async save(path: string): Promise<void> {
    await sharp(this.#frames, { join: { animated: true } })
      .webp({ delay: this.#delays, loop: 0, quality: 70, effort: 5, mixed: true })
      .toFile(path);
  }
}
