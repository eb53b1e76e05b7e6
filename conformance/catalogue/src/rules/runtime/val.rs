//! R-VAL: StoreValue and FindValue.

rules! {
    R_VAL_01 {
        id: "R-VAL-01",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::StoreValue",
        reading: "StoreValue returns S_OK for values of every type of the session, in one call or type by type under the same key, and they are found as they were stored.",
        why: "Everything that a compile produces goes through this call.",
        hint: "Look for an existing value of the same key and type, not of the same key.",
    }

    R_VAL_02 {
        id: "R-VAL-02",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::StoreValue",
        reading: "A null pTypedValues, or a NumTypedValues of 0, gets E_INVALIDARG.",
        why: "A key without a value would be found, and have nothing.",
        hint: "Check both before anything is stored.",
    }

    R_VAL_03 {
        id: "R-VAL-03",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::StoreValue",
        reading: "A value of size 0 is refused.",
        why: "A size of 0 is how FindValue says that a type is not cached.",
        hint: "Check every ValueSize before anything is stored.",
    }

    R_VAL_04 {
        id: "R-VAL-04",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::StoreValue",
        reading: "Two values of one type in one call are refused.",
        why: "Only one of them could be found again, and nobody could say which.",
        hint: "Check the types for duplicates before anything is stored.",
    }

    R_VAL_05 {
        id: "R-VAL-05",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::StoreValue",
        reading: "A value whose key and type are stored already gets DXGI_ERROR_ALREADY_EXISTS, and the stored value stays.",
        why: "Objects that share a part store it independently, and one of them is first.",
        hint: "Look before you store; the bytes are not compared.",
    }

    R_VAL_06 {
        id: "R-VAL-06",
        level: Should,
        section: "Method: ID3D12CompilerCacheSession::StoreValue",
        reading: "A call that is refused for one of its values stores none of the others.",
        why: "The specification does not say it, but a caller that is refused tries again with what is missing.",
        hint: "Store the values of a call in one transaction.",
    }

    R_VAL_07 {
        id: "R-VAL-07",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::FindValue",
        reading: "The size check, a null pValue of size 0 without a callback, gets S_OK and the size of a cached value, and leaves pValue null.",
        why: "This is how a compiler asks whether a value is there without reading it.",
        hint: "Answer from the stored size alone.",
    }

    R_VAL_08 {
        id: "R-VAL-08",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::FindValue",
        reading: "A key that is not cached gets DXGI_ERROR_NOT_FOUND in the size check, with a buffer and with the callback, which is not called.",
        why: "A compiler takes any success for a value that it need not compile.",
        hint: "Decide before you allocate.",
    }

    R_VAL_09 {
        id: "R-VAL-09",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::FindValue",
        reading: "A buffer of the value's size, or a larger one, gets S_OK, the value and its size, and nothing is written behind the value.",
        why: "What lies behind it is the caller's.",
        hint: "Copy the value's size, not the buffer's, and set ValueSize to it.",
    }

    R_VAL_10 {
        id: "R-VAL-10",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::FindValue",
        reading: "A buffer that is too small gets DXGI_ERROR_MORE_DATA and the required size, and nothing is written behind it.",
        why: "The caller needs the size to make the buffer larger.",
        hint: "Compare ValueSize with the value's size before you copy.",
    }

    R_VAL_11 {
        id: "R-VAL-11",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::FindValue",
        reading: "With a callback and a ValueSize of 0 the callback is called with the value's size and the context, pValue becomes what it returns, and holds the value; also for a null pValue, as in the specification's example.",
        why: "It is the one way to get values in a single call.",
        hint: "Allocate whenever ValueSize is 0 and there is a callback, whatever pValue is.",
    }

    R_VAL_12 {
        id: "R-VAL-12",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::FindValue",
        reading: "A callback that returns null makes the call fail with E_OUTOFMEMORY, and what it returned for earlier values is in their pValue.",
        why: "The caller frees every pValue; one that was forgotten is a leak.",
        hint: "Assign each pValue as soon as the callback returns.",
    }

    R_VAL_13 {
        id: "R-VAL-13",
        level: Should,
        section: "Method: ID3D12CompilerCacheSession::FindValue",
        reading: "Where the key has one of the requested types and lacks another, the call returns S_OK, and the ValueSize of the type that is not cached is 0.",
        why: "The specification says of a cached type that its ValueSize is non-zero; a compiler asks for several at once to learn which it must make.",
        hint: "Return DXGI_ERROR_NOT_FOUND only when the key has none of the types.",
    }

    R_VAL_14 {
        id: "R-VAL-14",
        level: Should,
        section: "Struct: D3D12_COMPILER_CACHE_VALUE_KEY",
        reading: "A null key, and a key of size 0, get E_INVALIDARG from StoreValue and FindValue.",
        why: "Neither identifies a value, and a runtime should survive its caller's mistake.",
        hint: "Check the pointers and the size first.",
    }

    R_VAL_15 {
        id: "R-VAL-15",
        level: Ambiguous,
        section: "Method: ID3D12CompilerCacheSession::FindValue",
        reading: "Where the key has other types than the requested ones, either the call gets DXGI_ERROR_NOT_FOUND, or it gets S_OK and each ValueSize is 0, the same in every way to ask; the callback is not called.",
        why: "DXGI_ERROR_NOT_FOUND means that no value with the key is cached, but a size check asks for a type: a program that looks at the code only, or at ValueSize only, works with one of the readings.",
        hint: "Decide by the requested types, not by the key; a program checks the code and ValueSize.",
    }

    R_VAL_16 {
        id: "R-VAL-16",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::FindValue",
        reading: "Where one of several buffers is too small the call gets DXGI_ERROR_MORE_DATA, every ValueSize is the value's size, and the values that fit are copied.",
        why: "The caller makes one buffer larger and has the others already.",
        hint: "Answer every entry, and return the failure at the end.",
    }

    R_VAL_17 {
        id: "R-VAL-17",
        level: Must,
        section: "Method: ID3D12CompilerCacheSession::FindValue",
        reading: "A buffer is used also where there is a callback: it gets the value, its pValue stays, and the callback is called for the entries with a ValueSize of 0 only.",
        why: "ValueSize decides how an entry is answered; the callback is that of the whole call.",
        hint: "Look at each ValueSize before you allocate.",
    }
}
