// Shared by every page: access to elements and the server, and the display of errors.

export const $ = (id) => document.getElementById(id);

// Show only an element's children with these ids. Children without an id stay.
export function showOnly(parent, ids) {
  for (const each of parent.children) if (each.id) each.hidden = !ids.includes(each.id);
}

// Send a request, and return the server's reply or throw its error. body: sent as JSON unless it is a file or a form.
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

// Return whether the server has a page, which may belong to an add-on. The header links to all pages.
export const hasPage = (path) => document.querySelector(`#pages a[href="${path}"]`) !== null;

let home = null; // marks the place of errors that belong to no field
let wrong = null; // the field next to which the error is shown

// Show an error, next to its field if the field is visible. A null error clears it.
export function report(error, field = null) {
  const line = $("error");
  home ??= document.createComment("");
  if (!home.isConnected) line.before(home);
  for (const name of ["aria-invalid", "aria-describedby"]) wrong?.removeAttribute(name);
  wrong = error && field?.checkVisibility() ? field : null; // a field in a closed section is not visible
  (wrong?.closest("label") ?? wrong ?? home).after(line);
  wrong?.setAttribute("aria-invalid", "true");
  wrong?.setAttribute("aria-describedby", "error");
  line.textContent = error ? String(error.message ?? error) : "";
  line.hidden = !error;
  if (error) line.scrollIntoView({ block: "nearest" }); // on a small screen the error may be far from the pressed button
}

// Run an action and show its errors. field: their field, or a function that returns it for an error message.
export async function attempt(work, field = null) {
  report(null);
  try {
    await work();
  } catch (error) {
    report(error, typeof field === "function" ? field(error.message) : field);
  }
}

// Handle a form's submission with a function instead of loading another page.
export function onSubmit(form, act) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    act();
  });
}

// Let a person choose the same file again: a browser reports a change only if the value differs.
document.addEventListener("click", ({ target }) => {
  if (target.matches("input[type=file]")) target.value = "";
});

// Make buttons with `data-closes` close their dialog, as Escape does.
for (const button of document.querySelectorAll("dialog [data-closes]")) button.addEventListener("click", () => button.closest("dialog").close());

// Fill a select. rows: [value, text, isDisabled] each, or a string that is both; chosen: the selected value.
export function fillSelect(select, rows, chosen) {
  const options = rows.map((row) => {
    const [value, text = value, disabled = false] = [row].flat();
    return Object.assign(new Option(text, value, false, value === chosen), { disabled });
  });
  select.replaceChildren(...options);
  return select;
}

// Save a file to the browser's downloads.
export function save(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// Accept files dropped anywhere on the page. take: called with the files.
export function takeDropped(take) {
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) take(event.dataTransfer.files);
  });
}

// Make a button ask for confirmation before an irreversible action. Return a function to call before the action; it
// returns whether the action is confirmed, and asks if not. isNeeded: returns whether anything would be lost.
export function asking(button, question, isNeeded = () => true) {
  let usual = null; // the button's original text, while it asks
  const set = (isAsking) => {
    if (isAsking === (usual !== null)) return;
    [usual, button.textContent] = isAsking ? [button.textContent, question] : [null, usual];
    button.classList.toggle("danger", isAsking);
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

// Make a button ask for confirmation before it acts. The second click of a double click (`detail` is 2) and repeated key
// events do not count as confirmation.
export function confirmFirst(button, question, act, isNeeded) {
  const isSure = asking(button, question, isNeeded);
  button.addEventListener("keydown", (event) => event.repeat && event.preventDefault());
  button.addEventListener("click", ({ detail }) => detail < 2 && isSure() && act());
}
