const SPARSE_MS = 15_000;

/** Says what is going on and for how long: a line that renews itself on a terminal, now and then a plain line elsewhere. */
export class Progress {
  #title;
  #detail = '';
  #startedAt = Date.now();
  #timer;
  #isTerminal = process.stderr.isTTY === true;

  constructor(title) {
    this.#title = title;
    this.#print();
    this.#timer = setInterval(() => this.#print(), this.#isTerminal ? 250 : SPARSE_MS);
  }

  /** What is being done now, in a few words. */
  update(detail) {
    this.#detail = detail;
  }

  done(sentence) {
    this.#finish(`${sentence} (${this.#elapsed()})`);
  }

  failed(sentence) {
    this.#finish(`${sentence} after ${this.#elapsed()}`);
  }

  #print() {
    const detail = this.#detail === '' ? '' : ` · ${this.#detail}`;
    const elapsed = Date.now() - this.#startedAt < 1000 ? '' : ` · ${this.#elapsed()}`;
    const line = `${this.#title}${detail}${elapsed}`;
    process.stderr.write(this.#isTerminal ? `\r\u001b[K${line.slice(0, (process.stderr.columns ?? 80) - 1)}` : `${line}\n`);
  }

  #finish(line) {
    clearInterval(this.#timer);
    process.stderr.write(`${this.#isTerminal ? '\r\u001b[K' : ''}${line}\n`);
  }

  #elapsed() {
    const seconds = Math.round((Date.now() - this.#startedAt) / 1000);
    return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  }
}
