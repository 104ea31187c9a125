// Arrays of whole numbers whose memory later searches use again: to allocate it anew would cost a
// short search more than the search itself.

const MOST_SPARE = 8;
const LARGEST_SPARE = 1 << 16;
const LEAST = 1 << 10;

const spare: Int32Array[] = [];

/** An array of zeros, at first, that can grow. */
export class Scratch {
  data: Int32Array;
  size: number;

  constructor(size: number) {
    const used = spare.pop();
    this.data =
      used !== undefined && used.length >= size ? used : new Int32Array(Math.max(LEAST, size));
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
    if (spare.length < MOST_SPARE && this.data.length <= LARGEST_SPARE) {
      spare.push(this.data);
    }
    this.data = new Int32Array(0);
    this.size = 0;
  }
}
