<?php
// What a web server's rewrite rules do.
$path = $_SERVER['DOCUMENT_ROOT'] . urldecode(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
if (is_dir($path)) $path = rtrim($path, '/') . '/index.php';
if (is_file($path)) return false;
$_SERVER['SCRIPT_NAME'] = '/index.php';
require $_SERVER['DOCUMENT_ROOT'] . '/index.php';
