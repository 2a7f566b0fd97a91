// What every page needs: its elements, the server, and a line for what went wrong.

export const $ = (id) => document.getElementById(id);

// Return what the server answers; raise what it refuses. body: a file or a form as it is, all else as JSON.
export async function ask(path, body, method = body === undefined ? "GET" : "POST") {
  const isSentAsItIs = body instanceof File || body instanceof FormData;
  const answer = await fetch(path, { method, body: isSentAsItIs ? body : JSON.stringify(body) }).catch(() => {
    throw new Error("The server does not answer. Is it still running?");
  });
  if (answer.status === 204) return null;
  const text = await answer.text();
  const found = text.startsWith("{") ? JSON.parse(text) : { error: text.trim() || `the server answered ${answer.status}` };
  if (!answer.ok) throw new Error(found.error);
  return found;
}

// Return whether the server has a page, which an add-on may have brought: the header links to all of them.
export const hasPage = (path) => document.querySelector(`#pages a[href="${path}"]`) !== null;

let home = null; // an element that marks the place of errors that belong to no field
let wrong = null; // the field at which the error stands

// Show what went wrong, at its field if there is one to see, or with null that nothing did.
export function report(error, field = null) {
  const line = $("error");
  home ??= document.createElement("span");
  if (!home.isConnected) line.before(home);
  for (const name of ["aria-invalid", "aria-describedby"]) wrong?.removeAttribute(name);
  wrong = error && field?.checkVisibility() ? field : null; // what is folded up is not visible
  (wrong?.closest("label") ?? wrong ?? home).after(line);
  wrong?.setAttribute("aria-invalid", "true");
  wrong?.setAttribute("aria-describedby", "error");
  line.textContent = error ? String(error.message ?? error) : "";
  line.hidden = !error;
  if (error) line.scrollIntoView({ block: "nearest" }); // on a small screen the error may be far from the button that was pressed
}

// Do what a person asked for, and show what goes wrong. field: that it belongs to, or what tells it from the error.
export async function attempt(work, field = null) {
  report(null);
  try {
    await work();
  } catch (error) {
    report(error, typeof field === "function" ? field(error.message) : field);
  }
}

// Let a form do something instead of being sent to another page.
export function onSubmit(form, act) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act();
  });
}

// Let the buttons with `data-closes` close the dialog that they stand in, as Escape does.
for (const button of document.querySelectorAll("dialog [data-closes]")) button.addEventListener("click", () => button.closest("dialog").close());

// rows: [value, text, whether it cannot be chosen] each, or a text that is the value too.
export function fillSelect(select, rows, chosen) {
  const options = rows.map((row) => {
    const [value, text = value, disabled = false] = [row].flat();
    return Object.assign(new Option(text, value, false, value === chosen), { disabled });
  });
  select.replaceChildren(...options);
  return select;
}

// Save a file where the browser keeps what is downloaded.
export function save(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// Let files be dropped anywhere on the page. take: a function that is called with the files.
export function takeDropped(take) {
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) take(event.dataTransfer.files);
  });
}

// Let a button ask once more before it does what cannot be taken back. Return what tells, each time that it is to act,
// whether it may, and else lets it ask. isNeeded: tells whether anything would be lost.
export function asking(button, question, isNeeded = () => true) {
  let usual = null; // the button's own text, while it asks
  const set = (isAsking) => {
    if (isAsking === (usual !== null)) return;
    [usual, button.textContent] = isAsking ? [button.textContent, question] : [null, usual];
    button.classList.toggle("sure", isAsking);
  };
  button.ariaLive = "polite";
  button.addEventListener("blur", () => set(false));
  return () => {
    const isSure = usual !== null || !isNeeded();
    set(!isSure);
    if (!isSure) button.focus();
    return isSure;
  };
}

// Let a button ask once more before it acts. The second click of a double click, whose `detail` is 2, is no answer, nor
// is a key that is held.
export function confirmFirst(button, question, act, isNeeded) {
  const isSure = asking(button, question, isNeeded);
  button.addEventListener("keydown", (event) => event.repeat && event.preventDefault());
  button.addEventListener("click", ({ detail }) => detail < 2 && isSure() && act());
}
