// The page that explains the certificate: shows the fingerprint that the QR code contains.

const digits = location.hash.slice(1);
if (/^[0-9A-F]{64}$/.test(digits)) {
  document.getElementById("mark").textContent = digits.match(/../g).join(":");
}
