// Arrays of whole numbers whose memory later searches use again: to allocate it anew would cost a
// short search more than the search itself.

const MOST_SPARE = 8;
const LARGEST_SPARE = 1 << 16;
const LEAST = 1 << 10;

const NOTHING = new Int32Array(0);

// A list that shrank and grew would allocate each time.
const spare: Int32Array[] = Array.from({ length: MOST_SPARE }, () => NOTHING);
let spares = 0;

/** An array of zeros, at first, that can grow. */
export class Scratch {
  data: Int32Array;
  size: number;

  constructor(size: number) {
    spares -= spares > 0 ? 1 : 0;
    const used = spare[spares] as Int32Array;
    spare[spares] = NOTHING;
    this.data = used.length >= size ? used : new Int32Array(Math.max(LEAST, size));
    this.size = size;
    this.data.fill(0, 0, size);
  }

  /** Makes room for `size` numbers, the new ones zero. */
  grow(size: number): void {
    if (size > this.data.length) {
      const larger = new Int32Array(Math.max(size, 2 * this.data.length));
      larger.set(this.data.subarray(0, this.size));
      this.data = larger;
    } else {
      this.data.fill(0, this.size, size);
    }
    this.size = size;
  }

  /** Gives the memory back; the array must not be used any more. */
  release(): void {
    if (spares < MOST_SPARE && this.data.length <= LARGEST_SPARE) {
      spare[spares] = this.data;
      spares += 1;
    }
    this.data = NOTHING;
    this.size = 0;
  }
}
